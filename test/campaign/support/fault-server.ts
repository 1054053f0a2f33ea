import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { ServerReport } from "./fault-kinds.ts";

/** The scripted server, which runs in its own thread. */
export interface FaultServer {
  readonly origin: string;
  /** Reports what the server has observed so far, and closes idle connections. */
  report(): Promise<ServerReport>;
  close(): Promise<void>;
}

/** Starts a server that answers each request correctly or, at random from the seed, with a fault. */
export async function startFaultServer(seed: number): Promise<FaultServer> {
  const worker = new Worker(new URL("./fault-worker.ts", import.meta.url), { workerData: { seed } });
  const [origin] = (await once(worker, "message")) as [string];
  return {
    origin,
    report: async () => {
      worker.postMessage("report");
      const [found] = (await once(worker, "message")) as [ServerReport];
      return found;
    },
    close: async () => {
      const gone = once(worker, "exit");
      worker.postMessage("close");
      await gone;
    },
  };
}
