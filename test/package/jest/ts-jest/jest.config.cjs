// ts-jest with CommonJS: its preset for JavaScript and TypeScript also compiles this package and ky, which are ES modules.
module.exports = {
  preset: "ts-jest/presets/js-with-ts",
  testEnvironment: "node",
  rootDir: "..",
  testMatch: ["<rootDir>/ts-jest/*.test.ts"],
  transform: { "\\.m?[jt]sx?$": ["ts-jest", { tsconfig: "<rootDir>/ts-jest/tsconfig.json" }] },
  transformIgnorePatterns: ["/node_modules/(?!(education-admin-sdk|ky)/)"],
};
