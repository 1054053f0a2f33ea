import { checkConnection } from "../options.js";

/** A client of ioredis. */
export interface IoRedisConnection {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): PromiseLike<unknown>;
  defineCommand(name: string, definition: { lua: string }): unknown;
}

/** A client of node-redis, the package `redis`; connected by you. */
export interface NodeRedisConnection {
  eval(script: string, options: { keys: string[]; arguments: string[] }): PromiseLike<unknown>;
  /** Adds a listener. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** How many listeners there are. */
  listenerCount?(event: "error"): number;
}

/** A client of ioredis or of node-redis. */
export type RedisConnection = IoRedisConnection | NodeRedisConnection;

/** Runs a script; Redis runs nothing else meanwhile. */
export type RunScript = (
  script: string,
  keys: readonly string[],
  values: readonly (string | number)[],
) => Promise<unknown>;

/** The way a client runs scripts. @throws ConfigurationError when it cannot. */
export function scriptsOf(what: string, connection: RedisConnection): RunScript {
  checkConnection(what, connection, ["eval"]);
  return async (script, keys, values) => {
    if (isIoRedis(connection)) return connection.eval(script, keys.length, ...keys, ...values.map(String));
    // Its error while it connects again ends the process if nobody listens; ioredis logs it.
    if (connection.listenerCount?.("error") === 0) connection.on?.("error", () => undefined);
    return connection.eval(script, { keys: [...keys], arguments: values.map(String) });
  };
}

function isIoRedis(connection: RedisConnection): connection is IoRedisConnection {
  return typeof (connection as Partial<IoRedisConnection>).defineCommand === "function";
}
