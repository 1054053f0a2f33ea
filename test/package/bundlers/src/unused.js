// biome-ignore-all lint/correctness/noUnusedImports: that nothing is used is the point.
// Imports everything and uses nothing, so its bundle is empty.
import { AdminClient, MainClient, OrganizationClient } from "education-admin-sdk";
import { createSandbox } from "education-admin-sdk/sandbox";
import * as schemas from "education-admin-sdk/schemas";
import { createWebhookHandler, verifyWebhook } from "education-admin-sdk/webhooks";
