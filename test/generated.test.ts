import { sendGenerated } from "./generated.ts";

// A compromise with the duration of all tests; test/real sends 1,000.
sendGenerated(100);
