// A page's tests: jsdom instead of Node, native ES modules, as docs/guides/runtimes.md says.
module.exports = {
  testEnvironment: "<rootDir>/../environment.cjs",
  testMatch: ["**/open-amount.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
