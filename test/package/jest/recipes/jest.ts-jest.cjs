// ts-jest with CommonJS, as docs/guides/runtimes.md says.
module.exports = {
  // For a machine that is busy with other programs.
  testTimeout: 120_000,
  preset: "ts-jest/presets/js-with-ts",
  testEnvironment: "node",
  testMatch: ["**/*.test.ts"],
  transform: {
    "\\.[jt]sx?$": ["ts-jest", { tsconfig: "<rootDir>/tsconfig.json" }],
    "\\.mjs$": [
      "babel-jest",
      { plugins: ["@babel/plugin-transform-dynamic-import", "@babel/plugin-transform-modules-commonjs"] },
    ],
  },
  transformIgnorePatterns: ["/node_modules/(?!(education-admin-sdk|ky)/)"],
};
