// swift-tools-version: 6.2

import PackageDescription

// What the build can enforce is not left to review. The import check itself is a flag of the
// build command: `--explicit-target-dependency-import-check error`.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

// Embedded Swift has no runtime to bring into sshd. The unsafe flag stands on this target alone,
// so that other packages can depend on the library products.
let embedded: [SwiftSetting] = [
    .enableExperimentalFeature("Embedded"),
    .unsafeFlags(["-wmo"]),
]

let package = Package(
    name: "vestry",
    products: [
        .library(name: "pam_vestry", type: .dynamic, targets: ["PAMModule"]),
    ],
    targets: [
        // C libraries, one module each.
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CKeyutils", pkgConfig: "libkeyutils", providers: [.apt(["libkeyutils-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CUnlockProtocol", path: "pam/protocol"),
        .target(name: "CLinux"),

        .target(
            name: "CPAM", path: "pam/CPAM", linkerSettings: [.linkedLibrary("pam")]),
        .target(
            name: "PAMModule", dependencies: ["CPAM", "CUnlockProtocol"], path: "pam/PAMModule",
            exclude: ["exports.map"],
            swiftSettings: strict + embedded,
            linkerSettings: [
                .unsafeFlags([
                    "-Xlinker",
                    "--version-script=\(Context.packageDirectory)/pam/PAMModule/exports.map",
                    "-Xlinker", "-z", "-Xlinker", "nodelete", "-Xlinker", "--gc-sections",
                ])
            ]),
    ],
    swiftLanguageModes: [.v6]
)
