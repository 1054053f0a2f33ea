import { MainClient } from "education-admin-sdk";

const client = new MainClient();
const { id } = await client.courseLocations.create({
  name: "North",
  address_attributes: { address: "5 Quay Street", postal_code: "1011 AB", city: "Amsterdam", country: "NL" },
});
console.log(JSON.stringify({ id }));
