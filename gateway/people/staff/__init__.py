"""Those who work with the gateway: cashiers, managers, operators, admins."""
