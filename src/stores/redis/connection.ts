import { checkConnection } from "../options.js";

/** An ioredis client. */
export interface IoRedisConnection {
  eval(script: string, numberOfKeys: number, ...keysAndArguments: string[]): PromiseLike<unknown>;
  defineCommand(name: string, definition: { lua: string }): unknown;
}

/** A node-redis client (package `redis`). Connect it yourself. */
export interface NodeRedisConnection {
  eval(script: string, options: { keys: string[]; arguments: string[] }): PromiseLike<unknown>;
  /** Adds a listener. */
  on?(event: "error", listener: (error: Error) => void): unknown;
  /** The number of listeners. */
  listenerCount?(event: "error"): number;
}

/** An ioredis or node-redis client. */
export type RedisConnection = IoRedisConnection | NodeRedisConnection;

/** Runs a script atomically: Redis runs nothing else until it ends. */
export type RunScript = (
  script: string,
  keys: readonly string[],
  values: readonly (string | number)[],
) => Promise<unknown>;

/** Returns a function that runs scripts on the client. @throws ConfigurationError if the client has no `eval`. */
export function scriptsOf(what: string, connection: RedisConnection): RunScript {
  checkConnection(what, connection, "eval");
  return async (script, keys, values) => {
    if (isIoRedis(connection)) return connection.eval(script, keys.length, ...keys, ...values.map(String));
    // While node-redis reconnects, it emits errors, which end the process if there is no listener.
    if (connection.listenerCount?.("error") === 0) connection.on?.("error", () => undefined);
    return connection.eval(script, { keys: [...keys], arguments: values.map(String) });
  };
}

function isIoRedis(connection: RedisConnection): connection is IoRedisConnection {
  return typeof (connection as Partial<IoRedisConnection>).defineCommand === "function";
}
