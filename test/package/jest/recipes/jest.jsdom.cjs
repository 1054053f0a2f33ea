// A page's tests: jsdom instead of Node, native ES modules, as docs/guides/runtimes.md says.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  testEnvironment: "<rootDir>/../environment.cjs",
  testMatch: ["**/open-amount.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
