// CommonJS through Babel, as docs/guides/runtimes.md says.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  testEnvironment: "node",
  testMatch: ["**/open-amount.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {
    "\\.m?[jt]sx?$": [
      "babel-jest",
      { plugins: ["@babel/plugin-transform-dynamic-import", "@babel/plugin-transform-modules-commonjs"] },
    ],
  },
  transformIgnorePatterns: ["/node_modules/(?!(education-admin-sdk|ky)/)"],
};
