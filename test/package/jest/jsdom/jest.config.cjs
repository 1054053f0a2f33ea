// A page's tests: jsdom instead of Node, native ES modules. jsdom has no fetch and hides Node's; see ../environment.cjs.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  testEnvironment: "<rootDir>/../environment.cjs",
  testMatch: ["**/*.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
