// Native ES modules, as docs/guides/testing.md says.
module.exports = {
  testEnvironment: "node",
  testMatch: ["**/*.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
