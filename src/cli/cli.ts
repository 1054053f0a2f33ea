#!/usr/bin/env node
// Imports nothing: an old Node version would fail at an import that it cannot parse, before it reaches this check.
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `education-admin-sdk needs Node 22.18 or later; this is ${process.versions.node}.\nInstall a newer Node (https://nodejs.org), or choose one with your version manager: nvm install 24\n`,
  );
  process.exitCode = 1;
} else import("./start.js");

export {};
