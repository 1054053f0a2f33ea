import { enumeration } from "../core/schema/model.js";
import { codes } from "./codes.js";

/** Countries, as two-letter codes of ISO 3166. The list comes from public documents, so other values may occur. */
export const Country = /* @__PURE__ */ enumeration(
  /* @__PURE__ */ codes(
    "ADEFGILMOQRSTUWXZ BABDEFGHIJLMNOQRSTVWYZ CACDFGHIKLMNORUVWXYZ DEJKMOZ ECEGHRST FIJKMOR GABDEFGHILMNPQRSTUWY HKMNRTU IDELMNOQRST JEMOP KEGHIMNPRWYZ LABCIKRSTUVY MACDEFGHKLMNOPQRSTUVWXYZ NACEFGILOPRUZ OM PAEFGHKLMNRSTWY QA REOSUW SABCDEGHIJKLMNORSTVXYZ TCDFGHJKLMNORTVWZ UAGMSYZ VACEGINU WFS YET ZAMW",
  ),
  { complete: false },
);
export type Country = (typeof Country.values)[number];

/**
 * The states of the USA, as the two-letter codes used in `state_province` for addresses there. Other values may occur.
 */
export const UsaState = /* @__PURE__ */ enumeration(
  /* @__PURE__ */ codes("ALKZR CAOT DCE FL GA HI IDLNA KSY LA MEDAINSOT NEVHJMYCD OHKR PA RI SCD TNX UT VTA WAVIY"),
  { complete: false },
);
export type UsaState = (typeof UsaState.values)[number];
