CREATE TABLE `keys` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`scopes` text NOT NULL,
	`rate_requests` integer,
	`rate_seconds` integer,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	`last_used_at` integer,
	`revoked_at` integer
) STRICT;
--> statement-breakpoint
CREATE TABLE `pets` (
	`id` integer PRIMARY KEY AUTOINCREMENT NOT NULL,
	`name` text NOT NULL,
	`category_id` integer NOT NULL,
	`status` text,
	`created_at` integer NOT NULL,
	CONSTRAINT "pets_status" CHECK("pets"."status" in ('available', 'pending', 'sold'))
) STRICT;
--> statement-breakpoint
CREATE INDEX `pets_by_status` ON `pets` (`status`);--> statement-breakpoint
CREATE TABLE `secrets` (
	`hash` text PRIMARY KEY NOT NULL,
	`key_id` integer NOT NULL,
	`prefix` text NOT NULL,
	`created_at` integer NOT NULL,
	`expires_at` integer,
	FOREIGN KEY (`key_id`) REFERENCES `keys`(`id`) ON UPDATE no action ON DELETE no action
) STRICT;
--> statement-breakpoint
CREATE INDEX `secrets_by_key` ON `secrets` (`key_id`);