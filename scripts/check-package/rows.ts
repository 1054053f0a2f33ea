import { drawCases } from "../../test/support/amount.ts";
import type { Row } from "./row.ts";
import { ASSISTANT_ROWS } from "./rows/assistants.ts";
import { BROWSER_ROWS } from "./rows/browser.ts";
import { BUNDLER_ROWS } from "./rows/bundlers.ts";
import { FRAMEWORK_ROWS } from "./rows/frameworks.ts";
import { JEST_ROWS } from "./rows/jest.ts";
import { NETWORK_ROWS } from "./rows/network.ts";
import { HOST_ROWS, NODE_ROWS } from "./rows/node.ts";
import { OPENAPI_ROWS } from "./rows/openapi.ts";
import { PACKAGE_ROWS } from "./rows/package.ts";
import { RUNTIME_ROWS } from "./rows/runtimes.ts";
import { SIZE_ROWS } from "./rows/size.ts";
import { TYPESCRIPT_ROWS } from "./rows/typescript.ts";

/** Quick rows. */
const QUICK: readonly Row[] = [...PACKAGE_ROWS, ...NODE_ROWS, ...HOST_ROWS];

/** Rows that take long to install or to run. */
const DEAR: readonly (readonly Row[])[] = [
  ASSISTANT_ROWS,
  TYPESCRIPT_ROWS,
  BUNDLER_ROWS,
  SIZE_ROWS,
  JEST_ROWS,
  RUNTIME_ROWS,
  FRAMEWORK_ROWS,
  BROWSER_ROWS,
  NETWORK_ROWS,
  OPENAPI_ROWS,
];

/** All rows, in the order of the table. */
export const ROWS: readonly Row[] = [...QUICK, ...DEAR.flat()];

/** The rows for a run with a share of the tests: all quick rows, and the expensive ones that the commit draws. */
export function drawnRows(): readonly Row[] {
  return [...QUICK, ...drawCases(DEAR, 3).flatMap((rows) => drawCases(rows, Math.ceil(rows.length / 3)))];
}
