// Puts the package where the checker, which drives the page from outside, finds it.
import * as sdk from "education-admin-sdk";

globalThis.sdk = sdk;
globalThis.result = {};
