// Jest as it comes, with CommonJS: this package and ky are ES modules, so they are transformed as your own code is.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  testEnvironment: "node",
  rootDir: "..",
  testMatch: ["<rootDir>/commonjs/*.test.js"],
  transform: {
    "\\.m?[jt]sx?$": [
      "babel-jest",
      { plugins: ["@babel/plugin-transform-dynamic-import", "@babel/plugin-transform-modules-commonjs"] },
    ],
  },
  transformIgnorePatterns: ["/node_modules/(?!(education-admin-sdk|ky)/)"],
};
