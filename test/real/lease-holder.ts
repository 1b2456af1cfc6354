// Takes the write lease or a claim, in a separate process that a test can stop. Arguments: DATABASE_URL, `write lease` or `claim`.
import { openLog } from "../../src/data/cluster/open-replica.ts";
import { parseDatabaseUrl } from "../../src/lib/database-url.ts";

const [url = "", what] = process.argv.slice(2);
const log = await openLog(parseDatabaseUrl(url));
if (what === "write lease") await log.writeLease();
else {
  const claim = await log.claim("work", 3000);
  claim?.lost.addEventListener("abort", () => console.log("lost"));
}
console.log("held");
setInterval(() => {}, 1000);
