import OpenAI from "openai";

const client = new OpenAI({ apiKey: "key", baseURL: "https://school.example" });

export async function namesOf(purpose: string): Promise<string[]> {
  const names: string[] = [];
  for await (const file of client.files.list({ purpose })) {
    names.push(file.status_details ?? file.filename);
  }
  return names;
}

export async function remove(id: string): Promise<number | undefined> {
  try {
    const { data, response } = await client.files.delete(id).withResponse();
    return data.deleted ? response.status : 0;
  } catch (error) {
    if (error instanceof OpenAI.APIError) return error.status;
    throw error;
  }
}
