import type { Row } from "./row.ts";
import { BUNDLER_ROWS } from "./rows/bundlers.ts";
import { HOST_ROWS, NODE_ROWS } from "./rows/node.ts";
import { TYPESCRIPT_ROWS } from "./rows/typescript.ts";

/** Everything that is checked, in the order of the table. */
export const ROWS: readonly Row[] = [...NODE_ROWS, ...HOST_ROWS, ...TYPESCRIPT_ROWS, ...BUNDLER_ROWS];
