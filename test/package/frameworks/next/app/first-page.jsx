"use client";
import { firstPage } from "./actions.js";

export function FirstPage() {
  return (
    <button type="button" onClick={() => firstPage()}>
      first page
    </button>
  );
}
