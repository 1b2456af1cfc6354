import { ResponseText } from "../http/schemas.ts";
import { t } from "elysia";

export const ConnectOffer = t.Object(
  {
    provider: ResponseText("The DNS provider, as it calls itself.", "Example DNS"),
    url: ResponseText(
      "The page of the DNS provider where the holder of the domain signs in and agrees to the records.",
      "https://connect.example.com/v2/domainTemplates/providers/example.org/services/subdomain/apply?domain=example.net&host=docs",
    ),
  },
  {
    $id: "DomainConnect",
    description:
      "A link with which the DNS provider creates the records itself (Domain Connect). Present only if the domain needs records, and the provider supports the template of this service.",
  },
);
