// swift-tools-version: 6.2

import PackageDescription

// Somebody else's package: it knows this one's products and nothing more.
let package = Package(
    name: "stranger",
    dependencies: [.package(name: "vestry", path: "../..")],
    targets: [
        .executableTarget(
            name: "Stranger",
            dependencies: [
                .product(name: "Vestry", package: "vestry"),
                .product(name: "VestryTesting", package: "vestry"),
            ]),
        .executableTarget(
            name: "SecurityStranger",
            dependencies: [.product(name: "Security", package: "vestry")]),
        .executableTarget(
            name: "KeychainAccessStranger",
            dependencies: [.product(name: "KeychainAccess", package: "vestry")]),
    ],
    swiftLanguageModes: [.v6]
)
