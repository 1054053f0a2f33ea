/** Modules that programs in the page may import; all others need Node. */
export const MODULES: Readonly<Record<string, () => Promise<object>>> = {
  "education-admin-sdk": () => import("education-admin-sdk"),
  "education-admin-sdk/schemas": () => import("education-admin-sdk/schemas"),
  "education-admin-sdk/operations": () => import("education-admin-sdk/operations"),
  "education-admin-sdk/webhooks": () => import("education-admin-sdk/webhooks"),
  "education-admin-sdk/proxy": () => import("education-admin-sdk/proxy"),
  "education-admin-sdk/mirror": () => import("education-admin-sdk/mirror"),
  "education-admin-sdk/schools": () => import("education-admin-sdk/schools"),
  "education-admin-sdk/assistant": () => import("education-admin-sdk/assistant"),
  "education-admin-sdk/doctor": () => import("education-admin-sdk/doctor"),
  "education-admin-sdk/twin": () => import("education-admin-sdk/twin"),
  "education-admin-sdk/school": () => import("education-admin-sdk/school"),
  "education-admin-sdk/sandbox": () => import("education-admin-sdk/sandbox"),
  "big.js": () => import("big.js"),
};
