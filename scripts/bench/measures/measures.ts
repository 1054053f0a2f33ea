import type { Measure } from "../lib/measure.ts";
import { bundle } from "./bundle.ts";
import { coldStart } from "./cold-start.ts";
import { heap } from "./heap.ts";
import { iteration } from "./iteration.ts";
import { moments } from "./moments.ts";
import { rateLimiter } from "./rate-limiter.ts";
import { requests } from "./requests.ts";
import { types } from "./types.ts";

/** All measures, in the order of the document. */
export const MEASURES: readonly Measure[] = [bundle, coldStart, requests, iteration, heap, rateLimiter, moments, types];
