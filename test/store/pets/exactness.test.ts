import { expect, test } from "bun:test";
import { type Store, messageOf, openOnce, openStore } from "../../support/store.ts";

const EXACT = [
  "0",
  "1",
  "-1",
  "9007199254740991",
  "-9007199254740991",
  "9007199254740992",
  "-9007199254740992",
  "9007199254740993",
  "9223372036854775807",
  "-9223372036854775808",
];

/** For requests that are refused. */
const shared = openOnce(openStore);

const send = async (categoryId: string, own?: Store) => {
  const store = own ?? (await openStore());
  const response = await store.call("POST", "/v1/pets", {
    body: `{"name":"x","categoryId":${categoryId}}`,
    headers: { "content-type": "application/json" },
  });
  return { store, response };
};

test.each(EXACT)(
  "categoryId %s is exact in the response, the list, the single animal and the database",
  async (categoryId) => {
    const { store, response } = await send(categoryId);
    expect(response.status).toBe(201);
    const expected = `{"id":1,"name":"x","categoryId":${categoryId}}`;
    expect(await response.text()).toBe(expected);
    expect(await (await store.call("GET", "/v1/pets")).text()).toBe(`[${expected}]`);
    expect(await (await store.call("GET", "/v1/pets/1")).text()).toBe(expected);
    const stored = store.database.client
      .query("select cast(category_id as text) as text, typeof(category_id) as type from pets")
      .get();
    expect(stored).toEqual({ text: categoryId, type: "integer" });
  },
);

test.each([
  ["1.0", "1"],
  ["1e0", "1"],
  ["1E+0", "1"],
  ["-0", "0"],
  ["-0.0", "0"],
  ["100e-2", "1"],
  ["0.1e1", "1"],
  ["1e18", "1000000000000000000"],
  ["9223372036854775807.0", "9223372036854775807"],
  ["9.223372036854775807e18", "9223372036854775807"],
  ["-92233720368547758080e-1", "-9223372036854775808"],
  ["9007199254740993.000", "9007199254740993"],
])("categoryId %s is the integer %s", async (written, categoryId) => {
  const { response } = await send(written);
  expect(await response.text()).toBe(`{"id":1,"name":"x","categoryId":${categoryId}}`);
});

test.each([
  "9223372036854775808",
  "-9223372036854775809",
  "1e19",
  "1e400",
  "1e999999999",
  "-1e400",
  "1.5",
  "1e-1",
  "0.1",
  "1.00000000000000000001",
  "9007199254740991.4",
  "4503599627370496.5",
  '"1"',
  "true",
  "[1]",
  "{}",
  "9".repeat(5000),
])("categoryId %p is refused", async (categoryId) => {
  const { response } = await send(categoryId, shared());
  expect(response.status).toBe(400);
  expect(await messageOf(response)).toBe(
    "categoryId: must be an integer from -9223372036854775808 to 9223372036854775807",
  );
});
