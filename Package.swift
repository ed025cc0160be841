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

// Swift 6 mode and no warning, and nothing else: what an ordinary package has.
let asUsersBuild: [SwiftSetting] = [.treatAllWarnings(as: .error)]

let package = Package(
    name: "vestry",
    products: [
        .library(name: "Vestry", targets: ["Vestry"]),
        .library(name: "KeychainAccess", targets: ["KeychainAccess"]),
        .library(name: "Security", targets: ["Security"]),
        .library(name: "VestryTesting", targets: ["VestryTesting"]),
        .executable(name: "vestry", targets: ["VestryCLI"]),
        .executable(name: "vestry-session-helper", targets: ["SessionHelper"]),
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
        // Loads libcrypto itself, so this needs its headers (libssl-dev) and links nothing.
        .target(name: "CCrypto"),

        // The core, from the bottom up. A target imports only what stands above it here.
        .target(name: "SecureMemory", dependencies: ["CSodium"], swiftSettings: strict),
        .target(name: "LinuxSystem", dependencies: ["CLinux"], swiftSettings: strict),
        .target(
            name: "Privileges", dependencies: ["CLinux", "LinuxSystem"], swiftSettings: strict),
        .target(
            name: "Sealing", dependencies: ["CSodium", "SecureMemory"], swiftSettings: strict),
        .target(
            name: "KeyClasses", dependencies: ["Sealing", "SecureMemory"], swiftSettings: strict),
        .target(
            name: "KernelKeyring", dependencies: ["CKeyutils", "KeyClasses", "SecureMemory"],
            swiftSettings: strict),
        .target(
            name: "Keybag", dependencies: ["KeyClasses", "LinuxSystem", "Sealing", "SecureMemory"],
            swiftSettings: strict),
        .target(
            name: "ItemStore", dependencies: ["CSQLite", "LinuxSystem"], swiftSettings: strict),
        .target(
            name: "Certificates", dependencies: ["CCrypto", "SecureMemory"],
            swiftSettings: strict),
        .target(
            name: "Vestry",
            dependencies: [
                "Certificates", "CUnlockProtocol", "ItemStore", "KernelKeyring", "Keybag",
                "KeyClasses",
                "LinuxSystem", "Sealing", "SecureMemory",
            ],
            swiftSettings: strict),

        // Interfaces that programs for Apple's systems use: Keychain Services and KeychainAccess.
        .target(name: "SecurityNames", swiftSettings: strict),
        .target(
            name: "SecurityObjects", dependencies: ["SecurityNames"], swiftSettings: strict),
        .target(
            name: "Security",
            dependencies: ["SecureMemory", "SecurityNames", "SecurityObjects", "Vestry"],
            swiftSettings: strict),
        .target(
            name: "KeychainAccess", dependencies: ["SecureMemory", "Security", "Vestry"],
            swiftSettings: strict),
        .target(
            name: "VestryTesting", dependencies: ["LinuxSystem", "SecureMemory", "Vestry"],
            swiftSettings: strict),

        // Programs.
        .executableTarget(
            name: "VestryCLI", dependencies: ["LinuxSystem", "SecureMemory", "Vestry"],
            swiftSettings: strict),
        .executableTarget(
            name: "SessionHelper",
            dependencies: [
                "CUnlockProtocol", "KernelKeyring", "Keybag", "KeyClasses", "LinuxSystem",
                "Privileges", "Sealing", "SecureMemory",
            ],
            swiftSettings: strict),
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

        // Tests. `Tests/run` runs these and everything else.
        .target(
            name: "TestSupport", dependencies: ["LinuxSystem", "SecureMemory"],
            path: "Tests/TestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "SecureMemoryTests", dependencies: ["SecureMemory", "TestSupport"]),
        .testTarget(name: "LinuxSystemTests", dependencies: ["LinuxSystem"]),
        .testTarget(
            name: "SealingTests", dependencies: ["Sealing", "SecureMemory", "TestSupport"]),
        .testTarget(
            name: "KeyClassesTests", dependencies: ["KeyClasses", "SecureMemory", "TestSupport"]),
        .testTarget(
            name: "KeybagTests",
            dependencies: [
                "Keybag", "KeyClasses", "LinuxSystem", "Sealing", "SecureMemory", "TestSupport",
            ],
            resources: [.copy("Golden")]),
        .testTarget(
            name: "KernelKeyringTests",
            dependencies: [
                "CKeyutils", "KernelKeyring", "KeyClasses", "SecureMemory", "TestSupport",
            ]),
        .testTarget(
            name: "SessionHelperTests", dependencies: ["LinuxSystem", "SessionHelper"]),
        .testTarget(
            name: "CertificatesTests",
            dependencies: ["Certificates", "SecureMemory", "TestSupport"],
            resources: [.copy("Certificates")]),
        .testTarget(
            name: "ItemStoreTests",
            dependencies: ["CSQLite", "ItemStore", "LinuxSystem", "TestSupport"]),
        // Programs as others write them: by the public interface, and without a warning.
        .target(
            name: "KeychainAccessPrograms", dependencies: ["KeychainAccess"],
            path: "Tests/KeychainAccessPrograms",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "KeychainAccessTests",
            dependencies: [
                "KernelKeyring", "Keybag", "KeyClasses", "KeychainAccess",
                "KeychainAccessPrograms", "LinuxSystem", "SecureMemory", "TestSupport", "Vestry",
            ]),
        .testTarget(
            name: "VestryCLITests",
            dependencies: ["LinuxSystem", "SecureMemory", "Vestry", "VestryCLI"]),
        .testTarget(
            name: "VestryTests",
            dependencies: [
                "Certificates",
                "CSQLite", "CUnlockProtocol", "ItemStore", "KernelKeyring", "Keybag", "KeyClasses",
                "LinuxSystem", "Sealing", "SecureMemory", "TestSupport", "Vestry",
            ]),
        .testTarget(
            name: "VestryTestingTests",
            dependencies: ["SecureMemory", "TestSupport", "Vestry", "VestryTesting"]),
        // Programs as tutorials write them, which see the public interface alone.
        .target(
            name: "WrapperProgram", dependencies: ["Security"],
            path: "Tests/SecurityPrograms/WrapperProgram", swiftSettings: asUsersBuild),
        .target(
            name: "FunctionsProgram", dependencies: ["Security"],
            path: "Tests/SecurityPrograms/FunctionsProgram", swiftSettings: asUsersBuild),
        .target(
            name: "ActorProgram", dependencies: ["Security"],
            path: "Tests/SecurityPrograms/ActorProgram", swiftSettings: asUsersBuild),
        .testTarget(
            name: "SecurityTests",
            dependencies: [
                "ActorProgram", "FunctionsProgram", "SecureMemory", "Security", "Vestry",
                "VestryTesting", "WrapperProgram",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
