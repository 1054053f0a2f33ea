// ts-jest with CommonJS: its preset for JavaScript and TypeScript also compiles this package and ky, which are ES modules.
// Files called .mjs go through Babel, because ts-jest leaves them ES modules whatever its configuration says.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  preset: "ts-jest/presets/js-with-ts",
  testEnvironment: "node",
  rootDir: "..",
  testMatch: ["<rootDir>/ts-jest/*.test.ts"],
  transform: {
    "\\.[jt]sx?$": ["ts-jest", { tsconfig: "<rootDir>/ts-jest/tsconfig.json" }],
    "\\.mjs$": [
      "babel-jest",
      { plugins: ["@babel/plugin-transform-dynamic-import", "@babel/plugin-transform-modules-commonjs"] },
    ],
  },
  transformIgnorePatterns: ["/node_modules/(?!(education-admin-sdk|ky)/)"],
};
