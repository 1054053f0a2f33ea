// Sends every operation of each document to the sandbox. Independent validators judge the requests and the responses.
import { readFileSync } from "node:fs";
import { openapiSchemaToJsonSchema } from "@openapi-contrib/openapi-schema-to-json-schema";
import { Validator } from "@seriousme/openapi-schema-validator";
import AjvDraft04 from "ajv-draft-04";
import addFormats from "ajv-formats";
import { createSandbox } from "education-admin-sdk/sandbox";
import { listen } from "education-admin-sdk/sandbox/node";
import responseValidator from "openapi-response-validator";
import { bodyFor, prepare, sampleOf } from "./requests.mjs";

const ResponseValidator = responseValidator.default ?? responseValidator;
const contract = JSON.parse(readFileSync("contract-records.json", "utf8")).records;
const problems = [];
const counts = { operations: 0, answers: 0, withNulls: 0, refusals: 0 };

for (const api of ["main", "admin", "organization"]) await checkApi(api);
await checkControl();
for (const problem of problems.slice(0, 60)) console.error(problem);
if (problems.length > 0) throw new Error(`${problems.length} problems`);
console.log(JSON.stringify(counts));

async function checkApi(api) {
  const document = await readDocument(api);
  const judge = judgeOf(api, document);
  for (const [path, items] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(items)) {
      counts.operations++;
      await checkOperation(document, judge, api, path, method, operation);
    }
  }
}

async function checkOperation(document, judge, api, path, method, operation) {
  const id = operation.operationId;
  const sandbox = createSandbox({ size: 60 });
  const connection = api === "admin" ? sandbox.admin : sandbox.main;
  const prefix = api === "organization" ? "api/organization" : "api/v1";
  const url = `${connection.baseUrl}/${prefix}${prepare(id, path, sandbox)}`;
  const sent = operation.requestBody?.content["application/json"].schema;
  const body = sent && bodyFor(id, sampleOf(document, sent));
  if (sent) {
    judge(`${id} body`, sent, body);
    judge(`${id} body with an unknown field`, sent, { ...body, a_field_nobody_knows: 1 }, false);
  }
  const send = async (content) => {
    const response = await connection.fetch(url, {
      method: method.toUpperCase(),
      headers: { authorization: `Bearer ${connection.apiKey}`, "content-type": "application/json" },
      ...(content && { body: JSON.stringify(content) }),
    });
    const text = await response.text();
    return { status: response.status, value: text === "" ? undefined : JSON.parse(text) };
  };
  // Sends an invalid body first: the valid request would delete the record.
  if (sent) await checkResponse(await send({ ...body, a_field_nobody_knows: 1 }), (status) => status === 422);
  await checkResponse(await send(body), (status) => status < 300);

  async function checkResponse({ status, value }, isExpected) {
    if (!isExpected(status)) problems.push(`${api} ${id}: ${status} ${JSON.stringify(value)}`);
    counts[status < 300 ? "answers" : "refusals"]++;
    const response = resolveReference(document, operation.responses[status] ?? operation.responses.default);
    const schema = response.content?.["application/json"].schema;
    if (!schema) {
      if (value !== undefined) problems.push(`${api} ${id}: a body that is not described`);
      return;
    }
    judge(`${id} ${status}`, schema, value);
    const second = new ResponseValidator({ responses: { [status]: response }, components: document.components });
    const found = second.validateResponse(status, structuredClone(value));
    if (found) problems.push(`${api} ${id} ${status}, the other validator: ${JSON.stringify(found.errors)}`);
    if (status < 300) checkNulls(judge, id, schema, value);
  }
}

// Sets each field to null in turn: the service's contract allows null in some fields, and the schema must refuse it in
// the others.
function checkNulls(judge, id, schema, value) {
  const name = (schema.items ?? schema).$ref.split("/").at(-1);
  const record = Array.isArray(value) ? value[0] : value;
  const fields = contract[name]?.fields;
  if (!record || !fields) return;
  for (const [field, { type }] of Object.entries(fields)) {
    if (!(field in record)) continue;
    const changed = { ...record, [field]: null };
    counts.withNulls++;
    judge(`${id} ${name}.${field} null`, schema, Array.isArray(value) ? [changed] : changed, /\|null\b/.test(type));
  }
}

// Uses the control interface over HTTP.
async function checkControl() {
  const document = await readDocument("sandbox-control");
  const judge = judgeOf("sandbox-control", document);
  const served = await listen(createSandbox({ size: 5 }), { control: true, port: 0 });
  const bodies = {
    addFaults: { operation: "accounts.get", status: 503 },
    advanceClock: { advanceMs: 1_000 },
    addData: { accounts: [{ name: "Example Ltd" }] },
    createKey: { scopes: ["*:read"] },
  };
  try {
    for (const [path, items] of Object.entries(document.paths)) {
      for (const [method, operation] of Object.entries(items)) {
        counts.operations++;
        const id = operation.operationId;
        const body = operation.requestBody && (bodies[id] ?? {});
        if (body) judge(`${id} body`, operation.requestBody.content["application/json"].schema, body);
        const address = path.replace("{collection}", "accounts").replace(/\{\w+\}/g, "unknown");
        const response = await fetch(`${served.url}${address}`, {
          method: method.toUpperCase(),
          ...(body && { body: JSON.stringify(body), headers: { "content-type": "application/json" } }),
        });
        const text = await response.text();
        const described = operation.responses[response.status] ?? operation.responses["4XX"];
        const schema = resolveReference(document, described).content?.["application/json"].schema;
        counts[response.ok ? "answers" : "refusals"]++;
        if (schema) judge(`${id} ${response.status}`, schema, JSON.parse(text));
        else if (text !== "") problems.push(`sandbox-control ${id}: a body that is not described`);
      }
    }
  } finally {
    await served.close();
  }
}

async function readDocument(name) {
  const path = `node_modules/education-admin-sdk/openapi/${name}.json`;
  const { valid, errors } = await new Validator().validate(JSON.parse(readFileSync(path, "utf8")));
  if (!valid) problems.push(`${name}.json is not OpenAPI: ${JSON.stringify(errors)}`);
  return JSON.parse(readFileSync(path, "utf8"));
}

// Ajv in its strict mode, with schemas that a maintained converter makes from those of the document.
function judgeOf(api, document) {
  const ajv = new AjvDraft04.default({ strict: true, allowUnionTypes: true, allErrors: true });
  addFormats.default(ajv);
  ajv.addFormat("decimal", /^-?\d+(\.\d+)?$/);
  ajv.addVocabulary(["x-extensible-enum"]);
  const { $schema: _, ...schemas } = openapiSchemaToJsonSchema(
    { definitions: document.components.schemas },
    {
      definitionKeywords: ["definitions"],
    },
  );
  const text = JSON.stringify(schemas).replaceAll("#/components/schemas/", "#/definitions/");
  ajv.addSchema({ id: api, ...JSON.parse(text) });
  const compiled = new Map();
  return (what, schema, value, isValid = true) => {
    const key = JSON.stringify(schema);
    try {
      if (!compiled.has(key)) {
        const { $schema: _dialect, ...own } = openapiSchemaToJsonSchema(schema);
        compiled.set(
          key,
          ajv.compile(JSON.parse(JSON.stringify(own).replaceAll("#/components/schemas/", `${api}#/definitions/`))),
        );
      }
    } catch (error) {
      problems.push(`${api} ${what}: ${error.message}`);
      compiled.set(
        key,
        Object.assign(() => isValid, { errors: [] }),
      );
    }
    const validate = compiled.get(key);
    if (validate(value) === isValid) return;
    const found = (validate.errors ?? []).slice(0, 4).map(({ instancePath, message }) => `${instancePath} ${message}`);
    problems.push(`${api} ${what}: ${isValid ? found.join("; ") : "not refused"}`);
  };
}

function resolveReference(document, node) {
  return node.$ref
    ? node.$ref
        .slice(2)
        .split("/")
        .reduce((at, key) => at[key], document)
    : node;
}
