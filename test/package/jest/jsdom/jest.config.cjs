// A page's tests: jsdom instead of Node, native ES modules. jsdom has no fetch and hides Node's; see ../environment.cjs.
module.exports = {
  testEnvironment: "<rootDir>/../environment.cjs",
  testMatch: ["**/*.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
