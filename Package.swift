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
        .library(name: "Vestry", targets: ["Vestry", "VestryCodable"]),
        .library(name: "KeychainAccess", targets: ["KeychainAccess"]),
        .library(name: "Security", targets: ["Security"]),
        .library(name: "VestryTesting", targets: ["VestryTesting"]),
        .executable(name: "vestry", targets: ["VestryCLI"]),
        .executable(name: "vestry-session-helper", targets: ["SessionHelper"]),
        .executable(name: "vestry-lock-watcher", targets: ["LockWatcher"]),
        .library(name: "pam_vestry", type: .dynamic, targets: ["PAMModule"]),
        // Installed as libvestry.so.0; a product cannot have the command's name.
        .library(name: "vestry_c", type: .dynamic, targets: ["CInterface", "CLibrary"]),
    ],
    targets: [
        // C libraries, one module each.
        .systemLibrary(
            name: "CSodium", pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CKeyutils", pkgConfig: "libkeyutils", providers: [.apt(["libkeyutils-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(name: "CUnlockProtocol", path: "pam/protocol"),
        .target(name: "CLinux"),
        // Needs the header of libcrypt (libcrypt-dev, which every C compiler's package brings).
        .target(name: "CCrypt", linkerSettings: [.linkedLibrary("crypt")]),
        // A file system for SQLite, in terms of SQLite's own interface.
        .target(name: "CItemFile", dependencies: ["CSQLite"]),
        // Loads libcrypto itself, so this needs its headers (libssl-dev) and links nothing.
        .target(name: "CCrypto"),
        // Loads libjansson and libexpat itself, so this needs their headers (libjansson-dev,
        // libexpat1-dev) and links nothing.
        .target(name: "CTransfer"),

        // The core, from the bottom up. A target imports only what stands above it here.
        .target(name: "SecureMemory", dependencies: ["CSodium"], swiftSettings: strict),
        .target(name: "LinuxSystem", dependencies: ["CLinux"], swiftSettings: strict),
        .target(
            name: "VestryConfiguration", dependencies: ["LinuxSystem"], swiftSettings: strict),
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
            name: "ItemStore", dependencies: ["CItemFile", "CSQLite", "LinuxSystem"],
            swiftSettings: strict),
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

        // Values by JSON, apart because of Foundation.
        .target(
            name: "VestryCodable", dependencies: ["SecureMemory", "Vestry"], swiftSettings: strict),

        // Interfaces that programs for Apple's systems use: Keychain Services and KeychainAccess.
        .target(name: "SecurityNames", swiftSettings: strict),
        .target(
            name: "SecurityObjects", dependencies: ["SecurityNames"], swiftSettings: strict),
        .target(
            name: "Security",
            dependencies: [
                "Certificates", "SecureMemory", "SecurityNames", "SecurityObjects", "Vestry",
            ],
            swiftSettings: strict),
        .target(
            name: "KeychainAccess",
            dependencies: ["SecureMemory", "Security", "SecurityNames", "Vestry"],
            swiftSettings: strict),
        .target(
            name: "VestryTesting", dependencies: ["LinuxSystem", "SecureMemory", "Vestry"],
            swiftSettings: strict),

        // The interface for C: vestry.h, and what stands behind it. CLibrary has the flags of the shared
        // library, which the tests of CInterface must not be linked with: the standard library inside,
        // nothing but vestry.h outside, and never unloaded, which Swift's runtime is not made for. By
        // Swift's own lld, since gold exports symbols that the script calls local.
        .target(name: "CVestry"),
        .target(
            name: "CInterface", dependencies: ["CVestry", "SecureMemory", "Vestry"],
            swiftSettings: strict),
        .target(
            name: "CLibrary", dependencies: ["CVestry"], exclude: ["exports.map"],
            linkerSettings: [
                .unsafeFlags([
                    "-static-stdlib", "-use-ld=lld", "-Xlinker", "-soname=libvestry.so.0",
                    "-Xlinker",
                    "--version-script=\(Context.packageDirectory)/Sources/CLibrary/exports.map",
                    "-Xlinker", "-z", "-Xlinker", "nodelete", "-Xlinker", "--gc-sections",
                ])
            ]),

        // How libpam runs the stacks of a machine, for 'vestry doctor'.
        .target(name: "PAMStacks", swiftSettings: strict),

        // What other programs keep their passwords in, for 'vestry import'.
        .target(
            name: "Transfer",
            dependencies: ["CTransfer", "LinuxSystem", "SecureMemory", "Vestry"],
            swiftSettings: strict),

        // Programs.
        .executableTarget(
            name: "VestryCLI",
            dependencies: [
                "LinuxSystem", "PAMStacks", "Privileges", "SecureMemory", "Transfer", "Vestry",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "SessionHelper",
            dependencies: [
                "CCrypt", "CUnlockProtocol", "KernelKeyring", "Keybag", "KeyClasses", "LinuxSystem",
                "Privileges", "Sealing", "SecureMemory", "VestryConfiguration",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "LockWatcher",
            dependencies: [
                "CSystemd", "CUnlockProtocol", "KernelKeyring", "LinuxSystem",
                "VestryConfiguration",
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
        .target(
            name: "VestryTestSupport",
            dependencies: [
                "KernelKeyring", "Keybag", "KeyClasses", "LinuxSystem", "SecureMemory",
                "TestSupport", "Vestry",
            ],
            path: "Tests/VestryTestSupport",
            swiftSettings: strict),
        .testTarget(
            name: "SecureMemoryTests", dependencies: ["SecureMemory", "TestSupport"]),
        .testTarget(name: "LinuxSystemTests", dependencies: ["LinuxSystem", "TestSupport"]),
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
            name: "VestryConfigurationTests",
            dependencies: ["LinuxSystem", "VestryConfiguration"]),
        .testTarget(name: "LockWatcherTests", dependencies: ["LockWatcher"]),
        .testTarget(
            name: "SessionHelperTests",
            dependencies: ["SecureMemory", "SessionHelper", "TestSupport"]),
        .testTarget(
            name: "CertificatesTests",
            dependencies: ["Certificates", "SecureMemory", "TestSupport"],
            resources: [.copy("Certificates")]),
        .testTarget(
            name: "ItemStoreTests",
            dependencies: ["CItemFile", "CSQLite", "ItemStore", "LinuxSystem", "TestSupport"]),
        // Programs as others write them: by the public interface, and without a warning.
        .target(
            name: "KeychainAccessPrograms", dependencies: ["KeychainAccess"],
            path: "Tests/KeychainAccessPrograms",
            swiftSettings: [.treatAllWarnings(as: .error)]),
        .testTarget(
            name: "KeychainAccessTests",
            dependencies: [
                "KeychainAccess", "KeychainAccessPrograms", "Vestry", "VestryTestSupport",
            ]),
        .testTarget(
            name: "CInterfaceTests",
            dependencies: ["CInterface", "CVestry", "SecureMemory", "Vestry"]
        ),
        .testTarget(name: "PAMStacksTests", dependencies: ["PAMStacks"]),
        .testTarget(
            name: "TransferTests",
            dependencies: ["LinuxSystem", "SecureMemory", "TestSupport", "Transfer", "Vestry"]),
        .testTarget(
            name: "VestryCLITests",
            dependencies: [
                "LinuxSystem", "PAMStacks", "SecureMemory", "TestSupport", "Transfer", "Vestry",
                "VestryCLI", "VestryTesting",
            ]),
        .testTarget(
            name: "VestryTests",
            dependencies: [
                "Certificates",
                "CSQLite", "CUnlockProtocol", "ItemStore", "KernelKeyring", "Keybag", "KeyClasses",
                "LinuxSystem", "Sealing", "SecureMemory", "TestSupport", "Vestry",
                "VestryTestSupport",
            ],
            resources: [.copy("Golden")]),
        .testTarget(
            name: "VestryTestingTests",
            dependencies: [
                "SecureMemory", "TestSupport", "Vestry", "VestryCodable", "VestryTesting",
            ]),
        // What Tests/Scripts runs several of at once.
        .executableTarget(
            name: "Writers", dependencies: ["Vestry"], path: "Tests/Writers",
            swiftSettings: asUsersBuild),
        .executableTarget(
            name: "Edits", dependencies: ["SecureMemory", "Vestry"], path: "Tests/Edits",
            swiftSettings: asUsersBuild),
        // By hand, never in CI: Tests/Benchmarks/run.
        .executableTarget(
            name: "ItemBenchmarks",
            dependencies: ["CKeyutils", "CSodium", "CSQLite", "SecureMemory", "Vestry"],
            path: "Tests/Benchmarks/Items", swiftSettings: asUsersBuild),
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
        .target(
            name: "CertificateProgram", dependencies: ["Security"],
            path: "Tests/SecurityPrograms/CertificateProgram", swiftSettings: asUsersBuild),
        .testTarget(
            name: "SecurityTests",
            dependencies: [
                "ActorProgram", "CertificateProgram", "FunctionsProgram", "SecureMemory",
                "Security", "Vestry", "VestryTesting", "WrapperProgram",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
