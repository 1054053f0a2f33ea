// Puts the package into a global, so that the checker, which drives the page from outside, finds it.
import * as sdk from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";

globalThis.sdk = sdk;
globalThis.createSandbox = createSandbox;
globalThis.result = {};
