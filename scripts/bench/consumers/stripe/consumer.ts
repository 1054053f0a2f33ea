import Stripe from "stripe";

const client = new Stripe("sk_test_key");

export async function namesOf(email: string): Promise<string[]> {
  const names: string[] = [];
  for await (const customer of client.customers.list({ email })) {
    names.push(customer.address?.city ?? customer.name ?? "");
  }
  return names;
}

export async function rename(id: string, name: string): Promise<number | undefined> {
  try {
    const customer = await client.customers.update(id, { name });
    return customer.lastResponse.statusCode + customer.created;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError) return error.statusCode;
    throw error;
  }
}
