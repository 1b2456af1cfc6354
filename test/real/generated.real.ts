import { sendGenerated } from "../generated.ts";

sendGenerated(1000);
