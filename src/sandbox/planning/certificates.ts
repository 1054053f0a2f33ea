import type { Certificate } from "../../resources/planning/certificates.js";
import type { Store } from "../data/store.js";
import type { Inquiry } from "../engine/behaviour.js";

/** What a certificate is for. @internal */
export type Certified = Pick<Certificate, "certifiable_id" | "certifiable_type">;

/** Awards a certificate in place of the one that was awarded before. @internal */
export function replaceCertificate(
  { store, baseUrl }: Pick<Inquiry, "store" | "baseUrl">,
  certified: Certified,
  template: number,
): void {
  deleteCertificates(store, certified);
  const { certificates } = store;
  const pdf_url = `${baseUrl}/certificates/${certificates.nextId}.pdf?template=${template}`;
  certificates.insert({ ...certified, pdf_url });
}

/** Deletes the certificates that were awarded, and returns how many there were. @internal */
export function deleteCertificates({ certificates }: Store, { certifiable_id, certifiable_type }: Certified): number {
  const awarded = certificates.filter(
    (row) => row.certifiable_type === certifiable_type && row.certifiable_id === certifiable_id,
  );
  for (const { id } of awarded) certificates.delete(id);
  return awarded.length;
}
