ALTER TABLE `browser_states` ADD `device` text;--> statement-breakpoint
ALTER TABLE `browser_states` ADD `opened_at` integer;