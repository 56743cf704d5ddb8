"""What the ports promise, held against everything that fulfils them: fakes, stand-ins and the real adapters alike."""
