import { expect, test } from "bun:test";
import { SETTING_GROUPS } from "../../src/config/settings.ts";
import { environmentTemplate, readVariables, setVariables } from "../../src/service/environment.ts";

const groups = Object.fromEntries(
  Object.entries(SETTING_GROUPS).map(([heading, settings]) => [heading, Object.values(settings)]),
);

test("a new environment file names every setting, and sets none", () => {
  const text = environmentTemplate(groups);
  expect(readVariables(text)).toEqual({});
  for (const { env } of Object.values(groups).flat()) expect(text).toContain(`\n#${env}=`);
});

test("a setting takes the place of its comment, and every other line stays", () => {
  const text = "# host to listen on\n#HOST=127.0.0.1\n\n# port\n#PORT=3000\n";
  expect(setVariables(text, { PORT: "80" })).toBe(
    "# host to listen on\n#HOST=127.0.0.1\n\n# port\nPORT=80\n",
  );
});

test("a setting replaces its last value, and a new one goes to the end", () => {
  expect(setVariables("PORT=1\nPORT=2\nMINE=x\n", { PORT: "3", BASE_URL: "http://a.example" })).toBe(
    "PORT=1\nPORT=3\nMINE=x\nBASE_URL=http://a.example\n",
  );
});

test.each(["plain", "", "two words", 'a "quoted" \\ $word `x`', "*.example.org,#1", "  spaces  "])(
  "the value %j is read as it was written",
  (value) => {
    expect(readVariables(setVariables("", { NAME: value }))).toEqual({ NAME: value });
  },
);

test("a value with a line break is refused, because the second line could set anything", () => {
  expect(() => setVariables("", { NAME: "a\nHOST=0.0.0.0" })).toThrow("a setting has one line");
});

test("values in single quotes and with backslashes are read as systemd reads them", () => {
  expect(readVariables("A='a b'\nB=a\\ b  \n; C=1\n#D=1\n")).toEqual({ A: "a b", B: "a b" });
});
