import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Programs } from "./job.js";
import type { ServiceProcess } from "./service-process.js";

const WORKER = fileURLToPath(new URL("apply-worker.ts", import.meta.url));

/** Programs in separate processes, which SIGKILL ends, with the plan in a file. */
export function processes(services: ServiceProcess, path: string): Programs {
  return {
    to: path,
    async apply({ token, now, settleMs, killAt = 0 }) {
      const args = [services.url, token, path, String(settleMs), String(now), String(killAt)];
      const text = await new Promise<string | null>((resolve, reject) => {
        execFile(process.execPath, [WORKER, ...args], (error, output, problem) => {
          if (error?.signal === "SIGKILL") resolve(null);
          else if (error) reject(new Error(problem, { cause: error }));
          else resolve(output);
        });
      });
      if (text !== null) return JSON.parse(text);
      const { requests } = await services.log(token, 0);
      return { result: null, now: Math.max(now, ...requests.map(({ at }) => at)) };
    },
  };
}
