#!/usr/bin/env node
import { runCli } from "./cli-main.js";

// The reader of the output may close it, as `head` does.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit(0);
});
process.exitCode = await runCli(process.argv.slice(2), process);
