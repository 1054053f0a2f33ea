// Native ES modules: started with node --experimental-vm-modules node_modules/jest/bin/jest.js.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  testEnvironment: "node",
  testMatch: ["**/*.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
