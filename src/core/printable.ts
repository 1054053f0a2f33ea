// Line breaks, terminal escape sequences, characters that change the text direction and invisible tag characters, which
// can forge log lines or hide instructions.
const CONTROL_CHARACTERS = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\u{e0000}-\u{e0fff}]+/gu;
// The service's field names have this form. Any other name may be a person's data.
const FIELD_NAME = /^(?!.*\d{7})[a-z_][\w-]*$/i;

export function printable(text: string): string {
  return text.replace(CONTROL_CHARACTERS, " ");
}

export function printableName(name: string): string {
  return FIELD_NAME.test(name) ? name : "[no name]";
}
