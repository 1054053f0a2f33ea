import { handler } from "./handler.ts";

export const POST = (request: Request) => handler(request);
