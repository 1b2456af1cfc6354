CREATE TABLE `store_identity` (
	`one` integer PRIMARY KEY NOT NULL,
	`store_id` text NOT NULL,
	`created_at` integer NOT NULL,
	CONSTRAINT "store_identity_one" CHECK("store_identity"."one" = 1)
) STRICT;
