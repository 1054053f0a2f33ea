// Native ES modules, as docs/guides/testing.md says.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  testEnvironment: "node",
  testMatch: ["**/*.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
