// Native ES modules: started with node --experimental-vm-modules node_modules/jest/bin/jest.js.
module.exports = {
  testEnvironment: "node",
  testMatch: ["**/*.test.mjs"],
  moduleFileExtensions: ["mjs", "js", "json"],
  transform: {},
};
