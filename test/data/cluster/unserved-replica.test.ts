import { expect, test } from "bun:test";
import { replicaProgress } from "../../../src/data/cluster/parts.ts";
import { RecordTooNew } from "../../../src/data/cluster/record.ts";
import { faultOf } from "../../../src/lib/errors.ts";

const MARK = { log: "log-1", position: 0, id: "first", checksum: "" };

const faultOfUse = ({ assertUsable }: ReturnType<typeof replicaProgress>) => {
  try {
    return assertUsable();
  } catch (error) {
    return faultOf(error);
  }
};

test("clients of a node that cannot go on are sent to another, not to its disk", () => {
  const progress = replicaProgress(MARK);
  expect(faultOfUse(progress)).toBeUndefined();
  progress.fail(new RecordTooNew("a newer program made it: upgrade the program"));
  const fault = faultOfUse(progress);
  expect(fault?.code).toBe("storage_unavailable");
  expect(fault?.message).toContain("/readyz");
});
